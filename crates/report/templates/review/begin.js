const data = JSON.parse($("data").textContent);
const review = new Review(data);
if (data.kind === "served") {
  const say = (words) => review.notice(words);
  addEventListener("hashchange", () => openByLink(say));
  openByLink(say);
}
review.start();
