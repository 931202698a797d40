/** An organization under load: its owner, a bucket, projects with documents, and a webhook for all events. */
import { setTimeout as pause } from 'node:timers/promises';
import { webhooks } from '../../shared/contract/endpoints/webhooks.ts';
import { newDestination, newProject, seed } from '../harness/stage/backup.ts';
import { call } from '../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../harness/stage/organization.ts';
import { signIn } from '../harness/stage/person.ts';
import type { Receiver } from '../harness/stage/receiver.ts';
import { type Client, makeClient } from './client.ts';
import { type Ledger, openLedger } from './ledger.ts';
import type { Meter } from './meter.ts';
import { type ReceivedEvents, recordEvents } from './received-events.ts';

export interface Tenant {
  readonly organization: TestOrganization;
  readonly client: Client;
  readonly ledger: Ledger;
  readonly received: ReceivedEvents;
  readonly meter: Meter;
  readonly destinationId: string;
  /** Each runs one job at a time. */
  readonly sources: readonly Source[];
}

export interface Source {
  readonly projectId: string;
  readonly sourceProjectId: string;
}

export interface TenantOptions {
  readonly projects: number;
  readonly documents: number;
  /** One of this many deliveries fails at its first attempt. */
  readonly failsOneOf: number;
}

/** Half of an access token's lifetime. */
const renewMs = 30 * 60_000;

export const openTenant = async (receiver: Receiver, meter: Meter, options: TenantOptions): Promise<Tenant> => {
  const organization = await newOrganization(undefined, 'Load');
  const { id: org, owner } = organization;
  let { accessToken: token } = owner;
  let sinceMs = performance.now();
  const client = makeClient(meter, async () => {
    if (performance.now() - sinceMs > renewMs) {
      sinceMs = performance.now();
      ({ accessToken: token } = await signIn(owner.email));
    }
    return { token, org };
  });

  let secret = '';
  const received = recordEvents(org, () => secret, options.failsOneOf);
  receiver.answer(`/${org}`, received.take);
  // A killed function blocks its attempt for the timeout plus 15 s.
  const body = { name: 'All', url: receiver.url(`/${org}`), events: ['*'], timeout: 5_000 };
  const made = await call(webhooks.create, { token, org, body });
  if (made.status !== 201) throw new Error(`the webhook was not created: ${made.text}`);
  secret = made.body.data.secret ?? '';

  const ledger = openLedger();
  ledger.wrote('webhook', made.body.data.id, body.name);
  const destination = await newDestination(organization);
  const sources: Source[] = [];
  for (let n = 0; n < options.projects; n++) {
    const { id: projectId, name, sourceProjectId } = await newProject(organization, { name: `Source ${n}` });
    ledger.wrote('project', projectId, name);
    ledger.expectEvent('project.created', projectId);
    await seed(sourceProjectId, documentsOf(options.documents));
    sources.push({ projectId, sourceProjectId });
  }
  return { organization, client, ledger, received, meter, destinationId: destination.id, sources };
};

export const documentsOf = (count: number): Record<string, object> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `users/${n}`,
      { name: { stringValue: `Person ${n} `.repeat(8) }, version: { integerValue: '0' } },
    ]),
  );

/** Polls until the condition holds. */
export const until = async <T>(look: () => Promise<T>, isDone: (seen: T) => boolean, everyMs = 250): Promise<T> => {
  for (;;) {
    const seen = await look();
    if (isDone(seen)) return seen;
    await pause(everyMs);
  }
};
