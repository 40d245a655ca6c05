/** The words about thinking, in English. */

import { duration } from "../../numbers.js";

export const thinking = {
  thinking: {
    live: (/** @type {number} */ seconds) => (seconds < 1 ? "Thinking…" : `Thinking… ${duration(seconds)}`),
    done: (/** @type {number} */ seconds) => `Thought for ${duration(seconds)}`,
    untimed: "Thoughts",
    unfinished: "The answer ended while the model was still thinking: the limit of tokens was reached.",
    label: "Thinking",
    turnOn: "Thinking is off. Turn it on: the model thinks before it answers, which takes longer.",
    turnOff: "Thinking is on: the model thinks before it answers. Turn it off for quick answers.",
    hint: "The model thinks before it answers: better for hard questions, slower for all.",
    always: "This model always thinks before it answers.",
    budget: "Thinking budget",
    budgetHint: "Tokens of thinking at most. Then the model answers with what it has. Empty is no limit.",
    noLimit: "no limit",
    greedy:
      "With temperature 0 a thinking model may repeat itself without end. Use a temperature above 0; 0.6 is recommended.",
    budgetRange: "From 16 to 1,000,000 tokens, or empty.",
  },
};
