import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserServer, chromium, type LaunchOptions } from 'playwright-core';
import { installedBrowser } from './find-browser.ts';

/** Only a browser that does not start at all should meet it, however slow or busy the machine is. */
const timeout = 300_000;

const launchOptions = async (): Promise<LaunchOptions> => {
  if (installedBrowser !== undefined) return { executablePath: installedBrowser, args: ['--no-sandbox'], timeout };
  const { default: packaged } = await import('@sparticuz/chromium');
  packaged.setGraphicsMode = false;
  const args = packaged.args.filter(
    (argument) => !/^--(single-process|no-zygote|disable-web-security|allow-running)/.test(argument),
  );
  return { executablePath: await unpacked(() => packaged.executablePath()), args, timeout };
};

export const launchBrowser = async (): Promise<Browser> => chromium.launch(await launchOptions());

/** A browser that several processes use (`connect-browser.ts`). */
export const launchBrowserServer = async (): Promise<BrowserServer> =>
  chromium.launchServer({ ...(await launchOptions()), host: '127.0.0.1' });

const unpackedDir = fileURLToPath(new URL('../../../node_modules/.cache/chromium', import.meta.url));

/** Unpacks the browser once, into a folder of its own until it is complete: several files may start at the same time. */
const unpacked = async (unpack: () => Promise<string>): Promise<string> => {
  const path = join(unpackedDir, 'chromium');
  if (existsSync(path)) return path;
  const draft = `${unpackedDir}-${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const { TMPDIR } = process.env;
  process.env.TMPDIR = draft;
  try {
    await unpack();
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
  try {
    renameSync(draft, unpackedDir);
  } catch (error) {
    // Another file was faster.
    if (!existsSync(path)) throw error;
  }
  return path;
};
