/**
 * Keeps addresses that a customer names away from whatever is not public: our own network, the machine itself, the metadata
 * services of clouds. An address is judged after it was parsed and again after every name was resolved, in the very lookup
 * the connection is made by: a name that answers differently a moment later gains nothing.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { dnsLookup, type Resolve } from './dns-lookup.ts';

/** The message is fit for whoever named the address, and says nothing of what a name resolves to. */
export class BlockedAddress extends Error {
  readonly code = 'EBLOCKED';

  constructor(reason: string) {
    super(reason);
    this.name = 'BlockedAddress';
  }
}

/** IANA's registry of special IPv4 addresses. */
const special4 = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  special4.addSubnet(net, bits, 'ipv4');

/** Of IPv6 only this is given out for public use; addresses that carry an IPv4 address inside lie outside it, or are special. */
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
const special6 = new BlockList();
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const)
  special6.addSubnet(net, bits, 'ipv6');

/** Whether an IP address is anybody's on the internet. What cannot be read is not. */
export const isPublic = (address: string): boolean => {
  const family = isIP(address);
  if (family === 4) return !special4.check(address, 'ipv4');
  return family === 6 && !address.includes('%') && global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
};

export interface GuardedUrl {
  readonly url: URL;
  /** The deployer vouches for it: it may be private, and speak http. */
  readonly isTrusted: boolean;
}

/** `trusted` holds `host:port`, or `host` for all its ports. Throws BlockedAddress. */
export const guardUrl = (text: string, trusted: readonly string[]): GuardedUrl => {
  // The parser takes `https:example.com`, `https:///example.com` and white space too; whoever reads the text would not.
  const url = /^https?:\/\/[^\s\\/][^\s\\]*$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.hostname === '') throw notHttps();
  if (url.username !== '' || url.password !== '' || text.split(/[/?#]/)[2]?.includes('@'))
    throw new BlockedAddress('must not contain credentials');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const host = url.hostname.toLowerCase();
  if (trusted.some((entry) => [host, `${host}:${port}`].includes(entry.toLowerCase()))) return { url, isTrusted: true };
  if (url.protocol !== 'https:') throw notHttps();
  // A lookup is never asked for an address that is given as such.
  const literal = host.replace(/^\[|\]$/g, '');
  if (isIP(literal) && !isPublic(literal)) throw notPublic();
  return { url, isTrusted: false };
};

/** Names that no name server of the internet knows: single words, and the endings set apart for machines, homes and companies. */
const isNobodys = (name: string): boolean =>
  /^[^.]+\.?$|\.(localhost|local|internal|intranet|lan|home|corp|private|home\.arpa)\.?$/.test(name);

/**
 * Webhooks speak https only, at trusted hosts too, and never to ourselves: an event that is told to our own API could tell of
 * itself for ever. Whoever takes an address from a caller passes `own`, our PUBLIC_URL. Throws BlockedAddress, as guardUrl.
 */
export const guardWebhookUrl = (text: string, trusted: readonly string[], own?: string): GuardedUrl => {
  const guarded = guardUrl(text, trusted);
  if (guarded.url.protocol !== 'https:') throw notHttps();
  if (own !== undefined && placeOf(guarded.url) === placeOf(new URL(own)))
    throw new BlockedAddress('must not be an address of this service');
  return guarded;
};

/** A final dot changes nothing but the text. */
const placeOf = ({ hostname, port, protocol }: URL): string =>
  `${hostname.toLowerCase().replace(/\.+$/, '')}:${port || (protocol === 'http:' ? '80' : '443')}`;

/** A lookup that fails unless every address of the name is allowed; the connection then goes to one of these. */
export const guardedLookup =
  (resolve: Resolve = systemLookup as Resolve, allows: (address: string) => boolean = isPublic): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [], 0);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => allows(address))) return callback(notPublic(), [], 0);
      if (options.all) callback(null, few(addresses));
      else callback(null, first.address, first.family);
    });
  };

/** A connection tries one address after the other: a name with thousands of them must not make us knock at each. */
const triedMax = 2;
const few = (addresses: readonly LookupAddress[]): LookupAddress[] =>
  [4, 6].flatMap((family) => addresses.filter((one) => one.family === family).slice(0, triedMax));

/**
 * Says at once, to whoever names an address, what a connection would say later. A name that does not resolve, or not soon,
 * passes: that is for the connection to tell.
 */
export const checkAddress = async (
  { url, isTrusted }: GuardedUrl,
  resolve: Resolve = dnsLookup,
  patienceMs: number = checkPatienceMs,
): Promise<void> => {
  if (isTrusted || isIP(url.hostname.replace(/^\[|\]$/g, ''))) return;
  if (isNobodys(url.hostname)) throw notPublic();
  await new Promise<void>((done, fail) => {
    const late = setTimeout(done, patienceMs);
    guardedLookup(resolve)(url.hostname, { all: true }, (error) => {
      clearTimeout(late);
      if (error instanceof BlockedAddress) fail(error);
      else done();
    });
  });
};

/** Connections that stay open between calls, to that host only. */
export const guardedAgent = ({ url, isTrusted }: GuardedUrl, sockets: number): HttpAgent | HttpsAgent => {
  const options = { keepAlive: true, maxSockets: sockets, ...(!isTrusted && { lookup: guardedLookup() }) };
  return url.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
};

/** A person waits for this answer, and the servers of a name are whoever's it is. */
const checkPatienceMs = 2_000;

const notHttps = (): BlockedAddress => new BlockedAddress('must be a valid HTTPS URL');
const notPublic = (): BlockedAddress => new BlockedAddress('must be a public address');
