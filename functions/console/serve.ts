/** Serves the console: prebuilt files, and a document for every page, because the console routes its pages itself. */
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { console as consoleRows } from '../../shared/contract/endpoints/console.ts';
import { description } from '../../shared/contract/endpoints/system.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import {
  acceptQuality,
  fileResponse,
  prefersHtml,
  type Response,
  redirectResponse,
  serveFiles,
} from '../../shared/http/index.ts';
import { type BuiltFile, builtFiles } from './built-files.ts';

const home = '/console';

export const serve = serveFiles(consoleRows.serve, ({ path, headers }) => {
  if (path === '/') return redirectToConsole(headers.accept);
  const page = path.slice(home.length);
  if (/^\/docs(\/|$)/.test(page)) return redirectResponse(encodePath(page));
  return respond(findFile(page.slice(1), 'index.html'), headers);
});

/** The path arrives decoded; a header holds no control characters, and no page of the docs has one. */
const encodePath = (path: string): string => {
  if (/\p{Cc}/u.test(path)) throw notFound();
  return path.toWellFormed().split('/').map(encodeURIComponent).join('/');
};

/** The API reference: the document of the console, and in it a list of all endpoints for readers without scripts. */
export const docs = serveFiles(description.docs, ({ path, headers }) =>
  respond(findFile(path.slice(1).replace(/^docs\/?/, ''), 'docs.html'), headers),
);

const respond = (file: BuiltFile, headers: Readonly<Record<string, string | undefined>>): Response => {
  if (headers['if-none-match']?.includes(file.etag)) return { statusCode: 304, headers: headersOf(file), body: '' };
  return encode(file, headers['accept-encoding'] ?? '');
};

/** API clients get what an unknown path answers. */
const redirectToConsole = (accept: string | undefined): Response => {
  if (!prefersHtml(accept)) throw notFound();
  const response = redirectResponse(home);
  return { ...response, headers: { ...response.headers, vary: 'accept' } };
};

/** A page answers `document`. */
const findFile = (name: string, document: 'index.html' | 'docs.html'): BuiltFile => {
  // Not every dot is a file extension: the token of an invitation has two.
  const isPage = !/^assets\/|\.(css|html|ico|js|json|map|mjs|png|svg|txt|webmanifest)$/.test(name);
  const wanted = isPage ? document : name;
  const file = Object.hasOwn(builtFiles, wanted) ? builtFiles[wanted] : undefined;
  if (!file) throw notFound();
  return file;
};

const notFound = (): ApiError => new ApiError('NOT_FOUND', 'Path not found');

const encode = (file: BuiltFile, acceptEncoding: string): Response => {
  const headers = headersOf(file);
  const [encoding, weight] = (['br', 'gzip'] as const)
    .map((name) => [name, acceptQuality(acceptEncoding, name)] as const)
    .reduce((best, other) => (other[1] > best[1] ? other : best));
  const response = fileResponse({ body: '', contentType: file.contentType, headers });
  if (weight > 0)
    return {
      ...response,
      headers: { ...response.headers, 'content-encoding': encoding },
      body: encoding === 'br' ? file.br : gzipSync(contentOf(file)).toString('base64'),
      isBase64Encoded: true,
    };
  return { ...response, body: contentOf(file).toString('base64'), isBase64Encoded: true };
};

const contentOf = ({ br }: BuiltFile): Buffer => brotliDecompressSync(Buffer.from(br, 'base64'));

/** Scripts, styles and calls are the origin's own; nothing is inline, and no other page can frame the console. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headersOf = ({ etag, isImmutable }: BuiltFile): Record<string, string> => ({
  etag,
  vary: 'accept-encoding',
  'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  'content-security-policy': contentSecurityPolicy,
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
});
