/** Setup file of the project `stage`: hands the running stage to each test file, and ends what the file has left running. */
import { afterAll, inject } from 'vitest';
import { browserVariable, closeBrowser } from '../harness/browser/connect-browser.ts';
import { disableCaptures } from '../harness/stage/captures.ts';
import { api } from '../harness/stage/client.ts';

Object.assign(process.env, inject('stage'), { [browserVariable]: inject('browser') });

afterAll(async () => {
  await closeBrowser();
  await disableCaptures(api);
});
