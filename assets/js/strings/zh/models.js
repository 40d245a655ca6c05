/** 关于模型、下载和本机检查的文字。中文。 */

import { number, percent, roughly, size, timeLeft } from "../../numbers.js";

const DAY = 86_400;

/** @param {number} at 上次使用的时间，1970 年以来的秒数。 */
function used(at) {
  const days = Math.floor((Date.now() / 1000 - at) / DAY);
  if (days < 1) return "今天用过";
  return days === 1 ? "昨天用过" : `${number(days)} 天前用过`;
}

/** @param {number} count 参数个数，按中文的习惯以亿计。 */
const parameters = (count) =>
  count >= 1e8
    ? `${number(Math.round(count / 1e7) / 10)} 亿参数`
    : `${number(Math.round(count / 1e4))} 万参数`;

export const models = {
  picker: {
    label: "选择模型",
    get: "下载模型…",
    here: "本机的模型…",
    doctor: "检查本机…",
    weights: (/** @type {string} */ weights) => `运行格式：${weights}`,
    inUse: "使用中",
  },

  ask: { cancel: "取消", close: "关闭" },

  switching: {
    title: (/** @type {string} */ name) => `切换到 ${name}`,
    running: "有回答正在生成。它会停下并保留已有的文字，之后可以点“继续”。",
    switch: "切换",
    refused: (/** @type {string} */ name) => `没有加载 ${name}`,
    bar: "正在加载模型",
  },

  fit: {
    fits: "放得下",
    tight: "勉强放得下",
    does_not_fit: "放不下",
    why: (/** @type {string} */ word) => `${word}：显示原因`,
  },

  speed: {
    about: (/** @type {number} */ expected) => `约 ${roughly(expected)} token/s`,
    range: (/** @type {number} */ least, /** @type {number} */ most) =>
      `（${roughly(least)} 到 ${roughly(most)}）`,
  },

  models: {
    label: "模型",
    close: "关闭",
    tabs: { here: "本机的模型", get: "获取更多", doctor: "检查本机" },
    reading: "正在查看模型…",
    notRead: (/** @type {string} */ why) => `没能读取模型列表。${why}`,
    again: "再试一次",
    none: "本机还没有模型。",
    getOne: "获取一个模型",
    disk: (/** @type {number} */ bytes) => `磁盘剩余 ${size(bytes)}`,
    notUsed: "还没用过",
    used,
    inUse: "使用中",
    use: "使用",
    loadAgain: "重新加载",
    verify: "校验文件",
    delete: "删除",
    reveal: "打开文件夹",
    more: (/** @type {string} */ name) => `${name} 的更多操作`,
    copyPath: "复制路径",
    copied: "已复制路径。",
    notCopied: "浏览器不允许复制。",
    options: "加载选项",
    contextLength: "上下文长度",
    automatic: "自动",
    longest: (/** @type {number} */ tokens) => `最多 ${number(tokens)} token，留空为自动。`,
    dtype: "数值格式",
    dtypes: { auto: "自动", bfloat16: "bfloat16", float16: "float16", float32: "float32" },
    deleteTitle: (/** @type {string} */ name) => `删除 ${name}`,
    deleteText: (/** @type {number} */ bytes) =>
      `将删除它的文件，腾出 ${size(bytes)}。以后要用需要重新下载。`,
    deleted: (/** @type {string} */ name, /** @type {number} */ bytes) =>
      `已删除 ${name}，腾出了 ${size(bytes)}。`,
    verifying: (/** @type {number} */ total) =>
      total ? `正在读取全部 ${size(total)}` : "正在读取文件",
    whole: "所有文件都完好。",
    damaged: (/** @type {number} */ files) => `${number(files)} 个文件已损坏：`,
    fetchAgain: "重新下载这些文件",
    verifyCancelled: "校验已取消。",
    dismiss: "关闭",
    cancel: "取消",
  },

  get: {
    best: "最适合本机",
    why: (/** @type {string} */ fit) => `在本机速度够快的模型中，它的能力最强。${fit}`,
    here: (/** @type {string} */ speed) => `本机${speed}`,
    download: "下载",
    resume: "继续下载",
    toDownload: (/** @type {number} */ bytes) => `需下载 ${size(bytes)}`,
    methods: {
      none: "完整",
      "gptq-int4": "GPTQ 4 位",
      "awq-int4": "AWQ 4 位",
      "int8-w8a8": "W8A8 8 位",
      fp8: "FP8 8 位",
    },
    parameters,
    context: (/** @type {number} */ tokens) => `上下文 ${number(tokens)}`,
    yarn: (/** @type {number} */ tokens) => `用 YaRN 可到 ${number(tokens)}`,
    languages: (/** @type {number} */ count) => `${number(count)} 种语言`,
    languagesOf: (/** @type {string[]} */ names, /** @type {number} */ count) =>
      names.length < count ? `${names.join("、")}等` : names.join("、"),
    thinking: {
      none: "直接回答",
      hybrid: "可选先思考再回答",
      thinking_only: "总是先思考再回答",
    },
    notCompared: "还没有与 ModelScope 核对，点“下载”时会核对",
    noneCompared: "这些模型还没有与 ModelScope 核对，点“下载”时会核对。",
    cannot: (/** @type {number} */ count) => `${number(count)} 个不能在本机运行`,
    nearest: (/** @type {string} */ id) => `能运行的最接近的模型：${id}`,
    onlyFitting: "只看本机放得下的",
    search: "筛选",
    searchLabel: "按名称筛选模型",
    nothing: "没有符合的模型。",
    showAll: "显示全部",
    offline: "QwenChat 设为离线，不能下载。",
    anyLabel: "任意 ModelScope 模型 ID，或本机的文件夹",
    anyPlaceholder: "拥有者/名称，或 /文件夹/路径",
    check: "检查",
    checking: "正在检查…",
    runs: "能在本机运行",
    runsNot: "不能在本机运行",
    ownCode: "它自带 Python 代码。这种代码可以在本机上做任何事，所以 QwenChat 从不运行它。",
    there: "它已经在本机上了。",
    checkNearest: (/** @type {string} */ id) => `检查 ${id}`,
    more: (/** @type {string} */ name) => `${name} 的更多信息`,
  },

  downloads: {
    label: "下载",
    title: (/** @type {number} */ count) => `${number(count)} 个下载`,
    open: (/** @type {string} */ title, /** @type {number} */ share) =>
      `${title}，${percent(share)}。显示下载`,
    of: (/** @type {number} */ done, /** @type {number} */ total) =>
      total ? `${size(done)} / ${size(total)}` : "",
    rate: (/** @type {number} */ rate) => `${size(rate)}/s`,
    left: (/** @type {number} */ seconds) => `剩余 ${timeLeft(seconds)}`,
    checked: (/** @type {number} */ done, /** @type {number} */ total) =>
      total ? `已核对 ${size(done)} / ${size(total)}` : "",
    states: {
      queued: "等待中",
      running: "正在下载",
      paused: "已暂停",
      verifying: "正在与 ModelScope 核对",
      failed: "已停止",
      done: "已完成",
      cancelled: "已取消",
    },
    files: (/** @type {number} */ done, /** @type {number} */ all) =>
      `${number(done)} / ${number(all)} 个文件`,
    fileStates: { waiting: "等待中", arriving: "正在下载", checking: "正在核对", done: "已完成" },
    pause: "暂停",
    resume: "继续",
    retry: "重试",
    cancel: "取消",
    cancelTitle: (/** @type {string} */ name) => `取消下载 ${name}`,
    cancelText: (/** @type {number} */ bytes) =>
      bytes ? `已下载的 ${size(bytes)} 会被删除。` : "还没有下载任何内容。",
    cancelGo: "取消下载",
    keep: "保留",
    ready: (/** @type {string} */ name) => `${name} 已就绪。`,
    use: "使用",
    saysState: (/** @type {string} */ name, /** @type {string} */ state) => `${name}：${state}`,
    notDone: (/** @type {string} */ why) => `没有成功。${why}`,
  },

  offer: {
    label: "更好的模型",
    title: (/** @type {string} */ name) => `更适合本机的模型：${name}`,
    download: "下载",
    all: "所有模型",
    notNow: "以后再说",
    show: "显示下载",
    arriving: (/** @type {number} */ share) => `正在下载：${percent(share)}`,
  },

  doctor: {
    looking: "正在检查本机，最多需要半分钟。",
    notDone: (/** @type {string} */ why) => `没能检查本机。${why}`,
    again: "再检查一次",
    copy: "复制为文本",
    copied: "已复制报告。",
    notCopied: "浏览器不允许复制。",
    words: { ok: "正常", warning: "注意", problem: "问题" },
    all: "一切正常。",
    counts: (/** @type {number} */ warnings, /** @type {number} */ problems) =>
      [problems && `${number(problems)} 个问题`, warnings && `${number(warnings)} 项需要注意`]
        .filter(Boolean)
        .join("，"),
    guide: "docs/cpu-guide.md 对每种问题都有说明。",
    groups: {
      attention: "需要留意",
      machine: "机器",
      packages: "安装",
      runtime: "引擎的运行环境",
      data: "数据、端口和模型",
    },
    todo: (/** @type {string} */ fix) => `解决办法：${fix}`,
  },
};
