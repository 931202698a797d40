/**
 * SSRF protection: customer-supplied addresses must be public, not our own network, this machine or a cloud's metadata service.
 * An address is checked after parsing and again in the DNS lookup of the connection itself, which defeats DNS rebinding.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { dnsLookup, type ResolveHostname } from './dns-lookup.ts';

/** The message is for the customer. It does not reveal what a name resolves to. */
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

/** The only IPv6 range for public use. Addresses that embed an IPv4 address are outside of it or special. */
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

/** Whether this is a public IP address. False for malformed text. */
export const isPublic = (address: string): boolean => {
  const family = isIP(address);
  if (family === 4) return !special4.check(address, 'ipv4');
  return family === 6 && !address.includes('%') && global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
};

export interface GuardedUrl {
  readonly url: URL;
  /** Trusted by the deployment: it may be private and use http. */
  readonly isTrusted: boolean;
}

/** `trusted` contains `host:port`, or `host` for all ports. Throws BlockedAddress. */
export const guardUrl = (text: string, trusted: readonly string[]): GuardedUrl => {
  // The URL parser also accepts `https:example.com`, `https:///example.com` and white space.
  const url = /^https?:\/\/[^\s\\/][^\s\\]*$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.hostname === '') throw notHttps();
  if (url.username !== '' || url.password !== '' || text.split(/[/?#]/)[2]?.includes('@'))
    throw new BlockedAddress('must not contain credentials');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const host = url.hostname.toLowerCase();
  if (trusted.some((entry) => [host, `${host}:${port}`].includes(entry.toLowerCase()))) return { url, isTrusted: true };
  if (url.protocol !== 'https:') throw notHttps();
  // An IP address is not looked up, so it is checked here.
  const literal = host.replace(/^\[|\]$/g, '');
  if (isIP(literal) && !isPublic(literal)) throw notPublic();
  return { url, isTrusted: false };
};

/** Names without public DNS: single words, and suffixes reserved for hosts, homes and companies. */
const isPrivateName = (name: string): boolean =>
  /^[^.]+\.?$|\.(localhost|local|internal|intranet|lan|home|corp|private|home\.arpa)\.?$/.test(name);

/**
 * Webhooks require https, also at trusted hosts, and must not call this service: such an event could cause itself for ever.
 * For an address from a caller, pass our PUBLIC_URL as `own`. Throws BlockedAddress.
 */
export const guardWebhookUrl = (text: string, trusted: readonly string[], own?: string): GuardedUrl => {
  const guarded = guardUrl(text, trusted);
  if (guarded.url.protocol !== 'https:') throw notHttps();
  if (own !== undefined && originOf(guarded.url) === originOf(new URL(own)))
    throw new BlockedAddress('must not be an address of this service');
  return guarded;
};

/** Host and port. A trailing dot of the host is ignored. */
const originOf = ({ hostname, port, protocol }: URL): string =>
  `${hostname.toLowerCase().replace(/\.+$/, '')}:${port || (protocol === 'http:' ? '80' : '443')}`;

/** A lookup that fails unless every address of the name is allowed. The connection goes to one of these addresses. */
export const guardedLookup =
  (resolve: ResolveHostname = systemLookup as ResolveHostname, allows: (address: string) => boolean = isPublic): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [], 0);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => allows(address))) return callback(notPublic(), [], 0);
      if (options.all) callback(null, firstOfEachFamily(addresses));
      else callback(null, first.address, first.family);
    });
  };

/** A connection tries one address after the other. The limit keeps a name with thousands of addresses from being tried in full. */
const maxAddressesPerFamily = 2;
const firstOfEachFamily = (addresses: readonly LookupAddress[]): LookupAddress[] =>
  [4, 6].flatMap((family) => addresses.filter((one) => one.family === family).slice(0, maxAddressesPerFamily));

/** Checks an address when it is entered, as a later connection will. A name that does not resolve in time passes. */
export const checkAddress = async (
  { url, isTrusted }: GuardedUrl,
  resolve: ResolveHostname = dnsLookup,
  timeoutMs: number = checkTimeoutMs,
): Promise<void> => {
  if (isTrusted || isIP(url.hostname.replace(/^\[|\]$/g, ''))) return;
  if (isPrivateName(url.hostname)) throw notPublic();
  await new Promise<void>((done, fail) => {
    const timer = setTimeout(done, timeoutMs);
    guardedLookup(resolve)(url.hostname, { all: true }, (error) => {
      clearTimeout(timer);
      if (error instanceof BlockedAddress) fail(error);
      else done();
    });
  });
};

/** Keeps connections open between calls. */
export const guardedAgent = ({ url, isTrusted }: GuardedUrl, sockets: number): HttpAgent | HttpsAgent => {
  const options = { keepAlive: true, maxSockets: sockets, ...(!isTrusted && { lookup: guardedLookup() }) };
  return url.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
};

/** Short, because a person waits, and the customer controls the name servers. */
const checkTimeoutMs = 2_000;

const notHttps = (): BlockedAddress => new BlockedAddress('must be a valid HTTPS URL');
const notPublic = (): BlockedAddress => new BlockedAddress('must be a public address');
