/** Collects what no page of the console may do. */
import type { Page } from 'playwright-core';

export interface PageWatch {
  /** Requests to other origins, errors in the console, uncaught errors, and violations of the Content-Security-Policy. */
  readonly problems: readonly string[];
}

/** A browser reports every response with an error status. The API answers so on purpose; the page shows it. */
const isErrorStatus = (text: string): boolean =>
  text.startsWith('Failed to load resource: the server responded with a status of');

export const watchPage = (page: Page, allowedOrigins: readonly string[]): PageWatch => {
  const problems: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && !allowedOrigins.includes(url.origin)) problems.push(`request to ${url.href}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && !isErrorStatus(message.text())) problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.stack ?? error.message}`));
  return { problems };
};
