/** Schemas of the requests that deliver events, in both formats. */
import * as z from 'zod/mini';
import { events } from '../events/event-catalogue.ts';
import { type EventName, eventNames, isFailureEvent, type SimpleEventName, simpleEventNames } from '../events/event-names.ts';
import { simpleEvents } from '../events/simple-events.ts';
import { Moment } from '../fields.ts';
import { backupTriggers } from '../job-enums.ts';

const maxAttempts = z
  .int()
  .check(
    z.describe(
      'Number of the last attempt of this delivery if every one fails: 5, 1 if retries are disabled, more after a retry by hand or a replay; in every *.failed event, and in every other from the second attempt on',
    ),
  );
const willRetry = z
  .boolean()
  .check(z.describe('Whether another attempt follows if this one fails, unless it is answered 410; present with maxAttempts'));

const Metadata = z.object({
  trigger: z
    .nullable(z.enum(backupTriggers))
    .check(z.describe('What started the backup, restore or schedule; null for other events')),
  scheduleId: z.nullable(z.string()),
  attempt: z.int().check(z.describe('Number of this attempt, from 1')),
  deliveryId: z.string().check(z.describe('The same for every attempt')),
  maxAttempts: z.optional(maxAttempts),
  willRetry: z.optional(willRetry),
  requestId: z
    .optional(z.string())
    .check(z.describe('The X-Request-Id of the call that caused the event; absent if the service itself caused it')),
  test: z.optional(z.literal(true)).check(z.describe('Sent by the test endpoint: a sample, of no real resource')),
});

const FailureMetadata = z.extend(Metadata, { maxAttempts, willRetry });

const standardBody = (name: EventName) =>
  z.object({
    id: z.string().check(z.describe('Event id, the same for every webhook')),
    type: z.literal(name),
    timestamp: Moment.check(z.describe('When the event happened, with milliseconds')),
    data: events[name],
    metadata: isFailureEvent(name) ? FailureMetadata : Metadata,
  });

const simpleBody = (name: SimpleEventName) => z.object({ event: z.literal(name), timestamp: Moment, data: simpleEvents[name] });

const byName = <N extends EventName, S>(names: readonly N[], body: (name: N) => S): Readonly<Record<N, S>> =>
  Object.fromEntries(names.map((name) => [name, body(name)])) as Record<N, S>;

export const standardBodies = byName(eventNames, standardBody);
export const simpleBodies = byName(simpleEventNames, simpleBody);
