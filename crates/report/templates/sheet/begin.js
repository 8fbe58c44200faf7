const data = JSON.parse($("data").textContent);
const page = new Page(data);
if (data.kind === "served") {
  // A link that is opened over a sheet is another sheet's, or this one's anew.
  const say = (words) => page.notice("link", words);
  addEventListener("hashchange", () => openByLink(say));
  openByLink(say);
}
page.start();
