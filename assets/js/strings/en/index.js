/** Every word the page's JavaScript shows, in English: the shape that every language has. */

import { files } from "./files.js";
import { models } from "./models.js";
import { page } from "./page.js";
import { thinking } from "./thinking.js";
import { personas } from "./personas.js";
import { pageQuality } from "./page-quality.js";

export const strings = { ...page, ...personas, ...models, ...pageQuality, ...files, ...thinking };
