/** Pages with the official web SDK, in a real browser. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { closeBrowser, connectBrowser } from '../browser/connect-browser.ts';

export interface WebPages {
  /** A page of a context, or of a new one. */
  open(context?: BrowserContext): Promise<Page>;
  /** A page with the same contents under another name. */
  openAs(origin: string): Promise<Page>;
  close(): Promise<void>;
}

const html = '<!doctype html><script src="/page.js"></script>';

export const openPages = async (): Promise<WebPages> => {
  const script = await bundled();
  const server = createServer(({ url }, response) => {
    if (url === '/page.js') response.setHeader('content-type', 'text/javascript').end(script);
    else response.setHeader('content-type', 'text/html').end(html);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const loaded = async (context: BrowserContext, from: string): Promise<Page> => {
    const page = await context.newPage();
    page.on('console', (message) => console.log(`page: ${message.text()}`));
    page.on('pageerror', (error) => console.log(`page: ${error.message}`));
    await page.goto(from);
    return page;
  };
  const newContext = async (): Promise<BrowserContext> => (await connectBrowser()).newContext();
  return {
    open: async (context) => loaded(context ?? (await newContext()), origin),
    openAs: async (other) => {
      const context = await newContext();
      // Chromium asks the user whether a website may reach this machine at all.
      await context.grantPermissions(['local-network-access']);
      await context.route(`${other}/**`, (route) =>
        route.fulfill(
          route.request().url().endsWith('/page.js')
            ? { contentType: 'text/javascript', body: script }
            : { contentType: 'text/html', body: html },
        ),
      );
      return loaded(context, `${other}/`);
    },
    close: async () => {
      await closeBrowser();
      server.close();
    },
  };
};

const bundled = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
  });
  return outputFiles[0]?.text ?? '';
};
