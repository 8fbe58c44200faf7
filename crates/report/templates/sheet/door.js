// A personal link: its secret stands after the `#`, which browsers do not send. It is given to the server once, for a cookie that
// no script can read, and taken out of the address bar.

// Whether the address has a secret, which is then on its way to the server.
function openByLink(say) {
  const found = /^#(?:sheet|review)=([0-9a-f]{32})$/.exec(location.hash);
  if (found === null) return false;
  say("Opening…");
  fetch("session", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token: found[1] }), cache: "no-store" })
    .then((answer) => {
      if (answer.ok) {
        history.replaceState(null, "", location.pathname);
        // Not a reload, which would count as coming from wherever the link was clicked, and go without the cookie.
        location.replace(location.pathname);
      } else if (answer.status === 429) {
        say("Too many wrong links were tried. Wait a minute and load this page again.");
      } else {
        say("This link is not valid, or no longer. Ask for a new one.");
      }
    })
    .catch(() => say("The server does not answer. Load this page again in a moment."));
  return true;
}
