/** 页面上的所有文字：中文。缺少的条目显示英文。 */

import { files } from "./files.js";
import { models } from "./models.js";
import { page } from "./page.js";
import { thinking } from "./thinking.js";
import { personas } from "./personas.js";
import { pageQuality } from "./page-quality.js";

export const strings = { ...page, ...personas, ...models, ...pageQuality, ...files, ...thinking };
