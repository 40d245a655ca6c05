/** Every word the page's JavaScript shows, in English: the shape that every language has. */

import { models } from "./models.js";
import { page } from "./page.js";

export const strings = { ...page, ...models };
