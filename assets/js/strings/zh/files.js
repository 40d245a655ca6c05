/** 关于消息中文件的文字：中文。 */

import { number } from "../../numbers.js";

const UNITS = { page: "页", line: "行", character: "字符" };

export const files = {
  files: {
    add: "添加文件",
    list: "这条消息的文件",
    drop: "松开即可添加到消息",
    dropHint: "文本、Markdown、代码、CSV、PDF、Word",
    kinds: { text: "文本", markdown: "Markdown", code: "代码", csv: "表格", pdf: "PDF", docx: "Word" },
    sending: (/** @type {number} */ percent) => `正在上传 ${percent} %`,
    waiting: "等待中",
    reading: "正在读取",
    added: (/** @type {string} */ name) => `已添加 ${name}`,
    removed: (/** @type {string} */ name) => `已移除 ${name}`,
    remove: (/** @type {string} */ name) => `移除 ${name}`,
    cancel: (/** @type {string} */ name) => `取消 ${name}`,
    open: (/** @type {string} */ about) => `查看 ${about}`,
    busy: "文件还在读取，请稍后发送。",
    tokens: (/** @type {number} */ count) => `${number(count)} token`,
    over: (/** @type {number} */ count, /** @type {number} */ of) =>
      `${number(count)} / ${number(of)} token`,
    count: (/** @type {"page"|"line"|"character"} */ unit, /** @type {number} */ count) =>
      unit === "character" ? `${number(count)} 个字符` : `${number(count)} ${UNITS[unit]}`,
    range: (
      /** @type {"page"|"line"|"character"} */ unit,
      /** @type {number} */ first,
      /** @type {number} */ last,
    ) =>
      first === last
        ? `第 ${number(first)} ${UNITS[unit]}`
        : `第 ${number(first)} 至 ${number(last)} ${UNITS[unit]}`,
    rangeOf: (
      /** @type {string} */ range,
      /** @type {"page"|"line"|"character"} */ unit,
      /** @type {number} */ count,
    ) => `${range}，共 ${files.files.count(unit, count)}`,
    cut: "只读取了开头部分",
    picture: (/** @type {string} */ name) => `${name} 是图片，而这个模型只能读文字，看不到图片。`,
    tooLarge: (/** @type {string} */ name, /** @type {number} */ mebibytes) =>
      `${name} 超过了 ${mebibytes} MB 的上限。请把需要的部分另存为一个文件。`,
    folder: (/** @type {string} */ name) => `${name} 是文件夹。请添加其中的文件。`,
    tooMany: (/** @type {number} */ most) => `一条消息最多带 ${most} 个文件。`,
    gone: (/** @type {string} */ name) => `${name} 已经不在了：未发送的文件只保留一天。请重新添加。`,
    pasted: "粘贴的文本.txt",
    pastedLong: (/** @type {number} */ characters) => `粘贴了 ${number(characters)} 个字符。`,
    makeFile: "改为文件",
    importTitle: (/** @type {string} */ name) => `要导入 ${name} 吗？`,
    importText: "这是导出的对话。可以导入到对话列表，也可以把文件添加到这条消息。",
    importArchive: ".zip 压缩包不能添加到消息；如果它是导出的对话，可以导入到对话列表。",
    importYes: "导入",
    attach: "添加到消息",
    cancelImport: "取消",
    close: "关闭",
    loading: "正在读取文字",
    whatIsRead: "模型读取的部分",
    from: "从",
    to: "至",
    ofUnits: { page: "页", line: "行", character: "字符" },
    all: "全部",
    beginning: "放得下的开头",
    chooseRange: "选择一部分…",
    nothingFits: "连最前面的一小部分也放不下。请缩短消息，或开始新对话。",
    counting: "正在计数",
    chosen: (/** @type {string} */ range, /** @type {string} */ tokens) => `${range} · ${tokens}`,
    fits: "放得下",
    doesNotFit: "放不下",
    more: (/** @type {number} */ characters) => `… 还有 ${number(characters)} 个字符`,
    text: "文件的文字",
  },
};
