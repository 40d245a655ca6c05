/** Deleting a conversation: gone at once, and back again at one press or when it did not work. */

import { api, reasonOf } from "./api.js";
import * as conversations from "./conversations.js";
import { open } from "./router.js";
import { state } from "./store.js";
import { strings } from "./strings.js";
import { toast } from "./toast.js";

const words = strings.sidebar;

/** @param {string} id @param {() => void} onBack  Called when it is there again. */
export async function deleteConversation(id, onBack) {
  const summary = conversations.get(id);
  if (!summary) return;
  const title = summary.title || words.untitled;
  const wasOpen = state.openId === id;
  conversations.hide(id);
  if (wasOpen) open(null);
  const request = api.deleteConversation(id);
  const takeToastAway = toast({ text: words.deleted(title), action: { label: words.undo, run: undo } });
  try {
    await request;
  } catch (error) {
    if (/** @type {any} */ (error).code === "conversation_not_found") return; // it is gone all the same
    takeToastAway();
    comeBack();
    toast({ text: words.notDeleted(title, reasonOf(error)) });
  }

  async function undo() {
    conversations.unhide(/** @type {any} */ (summary));
    try {
      await request;
    } catch {
      return; // never deleted, as said above
    }
    try {
      await api.restoreConversation(id);
      comeBack();
    } catch (error) {
      conversations.hide(id);
      toast({
        text: words.notRestored(title, reasonOf(error)),
        action: { label: words.undo, run: undo },
      });
    }
  }

  function comeBack() {
    conversations.unhide(/** @type {any} */ (summary));
    if (wasOpen && state.openId === null) open(id);
    onBack();
  }
}
