/**
 * DNS lookups without the system resolver. The system's lookup blocks one of the process's four threads while name servers do not
 * respond, so four such names would stop every other lookup. It also resolves names of this machine.
 */
import { type LookupAddress, type LookupOptions, Resolver } from 'node:dns';
import { warm } from '../warm.ts';

export type ResolveHostname = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** All addresses of a name, IPv4 first, because not every network supports IPv6. */
export const dnsLookup: ResolveHostname = (hostname, _options, callback) => {
  lookUpWith(resolver(), hostname, callback);
};

/** `dnsLookup` with a given resolver. */
export const lookUpWith = (servers: Resolver, hostname: string, callback: Parameters<ResolveHostname>[2]): void => {
  const found: Record<4 | 6, readonly LookupAddress[]> = { 4: [], 6: [] };
  let failure: NodeJS.ErrnoException | null = null;
  let responses = 0;
  const onResponse = (family: 4 | 6) => (error: NodeJS.ErrnoException | null, addresses: readonly string[]) => {
    if (error) failure = error;
    else found[family] = addresses.map((address) => ({ address, family }));
    responses += 1;
    if (responses < 2) return;
    const all = [...found[4], ...found[6]];
    callback(all.length > 0 ? null : failure, all);
  };
  servers.resolve4(hostname, onResponse(4));
  servers.resolve6(hostname, onResponse(6));
};

/** Per attempt and server. */
const timeoutMs = 2_000;
const resolver = warm(() => new Resolver({ timeout: timeoutMs, tries: 2 }));
