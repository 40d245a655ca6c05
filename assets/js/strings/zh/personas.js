/** 角色、预设、两级设置和回答详情的文字：中文。 */

import { number } from "../../numbers.js";

export const personas = {
  personas: {
    label: "角色",
    current: (/** @type {string} */ name) => `角色：${name}`,
    none: "无",
    create: "新建角色",
    saveAs: "把当前设置存为角色…",
    manage: "编辑角色…",
    keepTitle: (/** @type {string} */ name) => `换成“${name}”，保留你写的内容吗？`,
    keepPrompt: "这个对话的系统提示词是你自己写的。",
    keepSampling: "这个对话的设置是你自己改的。",
    keep: "保留我的",
    replace: "用角色的",
  },

  presets: {
    label: "预设",
    current: (/** @type {string} */ name) => `预设：${name}`,
    model: "模型默认值",
    own: "自定义",
    saveAs: "把当前参数存为预设…",
    manage: "编辑预设…",
  },

  levels: {
    systemPrompt: "系统提示词",
    expert: "专家设置",
    changed: (/** @type {number} */ count) => `已改 ${number(count)} 项`,
    creativity: ["严谨", "稳妥", "均衡", "活泼", "创意"],
    answer_length: ["短", "正常", "长", "不限"],
    between: (/** @type {string} */ parameter, /** @type {number} */ value) =>
      parameter === "max_tokens" ? `${number(value)} 个 token` : `温度 ${value}`,
    autoLanguage: "自动",
    parameters: {
      temperature: "温度",
      top_p: "top P",
      top_k: "top K",
      min_p: "min P",
      repetition_penalty: "重复惩罚",
      presence_penalty: "存在惩罚",
      frequency_penalty: "频率惩罚",
      max_tokens: "最多 token 数",
      seed: "随机种子",
      stop: "停止字符串",
    },
  },

  editor: {
    newPersona: "新建角色",
    editPersona: "编辑角色",
    newPreset: "新建预设",
    editPreset: "编辑预设",
    name: "名称",
    icon: "图标",
    iconHint: "可以是表情或文字，也可以选一个图案；留空则显示名称的第一个字。",
    picture: (/** @type {string} */ name) => `图案：${pictures[name] ?? name}`,
    sampling: "采样参数",
    asSaved: "保持已存的",
    asNow: "用当前对话的",
    questions: "开场问题",
    questionsHint: "在空白对话里显示为卡片，最多四个。",
    question: (/** @type {number} */ at) => `开场问题 ${at}`,
    save: "保存",
    discardTitle: "放弃修改吗？",
    discardText: "这里的修改还没有保存。",
    discard: "放弃",
  },

  manager: {
    titles: { personas: "角色", presets: "预设" },
    noPrompt: "模型原本的回答方式",
    edit: (/** @type {string} */ name) => `编辑“${name}”`,
    duplicate: (/** @type {string} */ name) => `复制“${name}”`,
    delete: (/** @type {string} */ name) => `删除“${name}”`,
    export: (/** @type {string} */ name) => `把“${name}”导出为 JSON`,
    copyOf: (/** @type {string} */ name) => `${name}（副本）`,
    import: "导入…",
    exportAll: "全部导出",
    imported: (/** @type {number} */ count) => `已导入 ${number(count)} 个。`,
    deleted: (/** @type {string} */ name) => `已删除“${name}”。`,
    failed: (/** @type {string} */ why) => `没有成功。${why}`,
  },

  answerDetails: {
    label: "回答的详情",
    model: "模型",
    tokens: "回答",
    prompt: "提示词",
    reused: "复用",
    rate: "速度",
    first: "首字用时",
    settings: "所用设置",
    seconds: (/** @type {number} */ seconds) => `${seconds.toFixed(seconds < 10 ? 2 : 1)} 秒`,
    count: (/** @type {number} */ tokens) => `${number(tokens)} 个 token`,
  },
};

/** @type {Record<string, string>} */
const pictures = {
  spark: "星光",
  compass: "指南针",
  headset: "耳机",
  book: "书",
  translate: "译文",
  code: "代码",
  feather: "羽毛",
};
