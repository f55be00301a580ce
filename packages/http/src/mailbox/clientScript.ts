/**
 * The script of the mailbox. Asks once a second whether the page has changed, and then replaces the part of the page that can change. The focus
 * stays, and a screen reader hears of new mail. Without the script, a reader reloads the page.
 */
export const clientScript = `"use strict";
(() => {
  const live = document.getElementById("live");
  const announcement = document.getElementById("announcement");
  if (live === null || announcement === null) return;
  const mailIds = (root) => new Set(Array.from(root.querySelectorAll("[data-mail]"), (item) => item.dataset.mail));
  const sentence = (before, root) => {
    const added = Array.from(root.querySelectorAll("[data-mail]")).filter((item) => !before.has(item.dataset.mail));
    if (added.length === 0) return root.dataset.sentence ?? "";
    const subject = added[0].querySelector(".subject").textContent;
    return added.length === 1 ? "New mail: " + subject : added.length + " new mails. Newest: " + subject;
  };
  const replace = async () => {
    const response = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const next = page.getElementById("live");
    if (next === null) return;
    const before = mailIds(live);
    const focused = document.activeElement !== null && live.contains(document.activeElement) ? document.activeElement.id : "";
    live.replaceChildren(...Array.from(next.childNodes, (node) => document.importNode(node, true)));
    live.dataset.state = next.dataset.state;
    live.dataset.sentence = next.dataset.sentence ?? "";
    announcement.textContent = sentence(before, live);
    if (focused !== "") document.getElementById(focused)?.focus();
  };
  const ask = async () => {
    if (!document.hidden) {
      try {
        const response = await fetch(live.dataset.changes);
        if (response.ok && (await response.json()).state !== live.dataset.state) await replace();
      } catch {
        // The server is down. The next second asks again.
      }
    }
    setTimeout(ask, 1000);
  };
  setTimeout(ask, 1000);
})();
`
