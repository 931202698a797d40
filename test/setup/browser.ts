/**
 * Global setup of the project `stage`: one Chromium for all journeys through the console. It is launched when the first of them asks for
 * its address, so a run without such a journey has none.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the address of the browser. */
    readonly browser: string;
  }
}

export default async (project: TestProject): Promise<() => Promise<void>> => {
  let browser: Promise<BrowserServer> | undefined;
  const launch = async (): Promise<BrowserServer> => {
    const { launchBrowserServer } = await import('../harness/browser/launch-browser.ts');
    const launched = await launchBrowserServer();
    // After a crash the next file gets a new one.
    launched.on('close', () => {
      browser = undefined;
    });
    return launched;
  };
  const server = createServer(async (_, response) => {
    try {
      browser ??= launch();
      response.end((await browser).wsEndpoint());
    } catch (error) {
      browser = undefined;
      response.writeHead(500).end(String(error));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('browser', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    await (await browser)?.close();
  };
};
