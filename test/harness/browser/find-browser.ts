/** Which Chromium there is: the system's one, else the one of @sparticuz/chromium. */
import { existsSync } from 'node:fs';

export const installedBrowser = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
].find((path) => path !== undefined && existsSync(path));

/** The package has a binary for Linux on x64 only. */
const isPackaged = process.platform === 'linux' && process.arch === 'x64';

export const hasBrowser = installedBrowser !== undefined || isPackaged;
