/** What a page shows and what it was told was sent, reported to the test as it happens. */
(() => {
  const WORDS = /[^\p{L}]/gu;
  /** @type {Map<string, string>} */
  const reported = new Map();
  let waiting = false;

  /** Letters alone: markdown's marks and the numbers of lists are drawn, not written. */
  const lettersOf = (/** @type {Element | null} */ root) => {
    if (!root) return "";
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    let text = "";
    while (walker.nextNode()) {
      if (!walker.currentNode.parentElement?.closest("button")) text += walker.currentNode.textContent;
    }
    return text.replace(WORDS, "");
  };

  const look = () => {
    waiting = false;
    const open = location.hash.replace("#/c/", "").split("?")[0];
    for (const article of document.querySelectorAll("[data-message-id]")) {
      const { messageId, role } = article.dataset;
      const letters = lettersOf(article.querySelector(role === "user" ? ".qc-user-text" : ".qc-body"));
      const key = `${open} ${letters}`;
      if (reported.get(messageId) === key) continue;
      reported.set(messageId, key);
      window.observed({ kind: "shown", open, messageId, role, letters });
    }
  };

  // Before a frame is painted, so that nothing is shown unseen.
  new MutationObserver(() => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(look);
  }).observe(document, { subtree: true, childList: true, characterData: true });

  const realFetch = window.fetch;
  window.fetch = async (...request) => {
    const response = await realFetch(...request);
    const conversation = /conversations\/([^/]+)\/messages$/.exec(String(request[0]))?.[1];
    if (conversation && response.status === 202) {
      const { user, assistant } = await response.clone().json();
      window.observed({ kind: "accepted", conversation, user: user.id, assistant: assistant.id });
    }
    return response;
  };
})();
