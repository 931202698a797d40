import { buffer } from 'node:stream/consumers';
import type { Download } from 'playwright-core';

/** What the browser has saved. A browser of another process has no path here. */
export const readDownload = async (download: Download): Promise<Buffer> => buffer(await download.createReadStream());
