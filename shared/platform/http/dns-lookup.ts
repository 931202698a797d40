/**
 * Asks the name servers themselves. The system's lookup takes one of the process's four threads for as long as a name's servers
 * are silent: four silent names would stop every other lookup, and this machine's own names would be known to it.
 */
import { type LookupAddress, type LookupOptions, Resolver } from 'node:dns';

export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Every address of a name, of both families; the old family first, since not every place can reach the new one. */
export const dnsLookup: Resolve = (hostname, _options, callback) => {
  asking ??= new Resolver({ timeout: patienceMs, tries: 2 });
  lookUpWith(asking, hostname, callback);
};

/** As it, of servers that a test has. */
export const lookUpWith = (servers: Resolver, hostname: string, callback: Parameters<Resolve>[2]): void => {
  const found: Record<4 | 6, readonly LookupAddress[]> = { 4: [], 6: [] };
  let failure: NodeJS.ErrnoException | null = null;
  let answers = 0;
  const hear = (family: 4 | 6) => (error: NodeJS.ErrnoException | null, addresses: readonly string[]) => {
    if (error) failure = error;
    else found[family] = addresses.map((address) => ({ address, family }));
    answers += 1;
    if (answers < 2) return;
    const all = [...found[4], ...found[6]];
    callback(all.length > 0 ? null : failure, all);
  };
  servers.resolve4(hostname, hear(4));
  servers.resolve6(hostname, hear(6));
};

/** Of each try at each server. */
const patienceMs = 2_000;
let asking: Resolver | undefined;
