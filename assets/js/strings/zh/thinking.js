/** 关于思考的文字：中文。 */

import { duration } from "../../numbers.js";

export const thinking = {
  thinking: {
    live: (/** @type {number} */ seconds) => (seconds < 1 ? "思考中…" : `思考中… ${duration(seconds)}`),
    done: (/** @type {number} */ seconds) => `思考了 ${duration(seconds)}`,
    untimed: "思考过程",
    unfinished: "模型还在思考，回答就结束了：已达到 token 上限。",
    label: "思考",
    turnOn: "思考已关闭。打开后，模型会先思考再回答，需要更长时间。",
    turnOff: "思考已打开，模型会先思考再回答。关闭后回答更快。",
    hint: "模型先思考再回答：更适合难题，但每次都更慢。",
    always: "这个模型总是先思考再回答。",
    budget: "思考预算",
    budgetHint: "最多思考多少 token，用完就根据已有的思考回答。留空表示不限。",
    noLimit: "不限",
    greedy: "温度为 0 时，思考模型可能不停地重复。请使用大于 0 的温度，推荐 0.6。",
    budgetRange: "16 到 1,000,000 token，或留空。",
  },
};
