import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { events } from '../../../../shared/contract/events/event-catalogue.ts';
import { eventNames, isSimpleEvent } from '../../../../shared/contract/events/event-names.ts';
import { simpleEvents } from '../../../../shared/contract/events/simple-events.ts';
import { WebhookEvent } from '../../../../shared/contract/models/webhook.ts';
import { standardBodies } from '../../../../shared/contract/openapi/event-bodies.ts';
import { listEventTypes } from '../../../../shared/webhook/index.ts';
import { strictCopy } from '../../../harness/builders/strict-copy.ts';

interface Sample {
  readonly data: unknown;
  readonly type: string;
  readonly metadata: { readonly test: boolean; readonly maxAttempts?: number; readonly willRetry?: boolean };
}

const types = listEventTypes({ id: 'org_01JZ8Q4V0M6T3X9C2B7N5K1HRD', name: 'Acme' }, new Date('2026-03-01T10:00:00.000Z'));

test('event types: every event of the catalogue is listed with a description', () => {
  deepEqual(
    types.map(({ name }) => name),
    eventNames,
  );
  for (const { description } of types) ok(description.length > 10);
});

test('event types: samples are complete requests in each format of the event', () => {
  for (const type of types) {
    deepEqual(strictCopy(WebhookEvent).parse(type), type);
    const name = type.name as (typeof eventNames)[number];
    const { data, type: sent, metadata } = type.samples.standard as unknown as Sample;
    equal(sent, name);
    equal(metadata.test, true);
    deepEqual(
      { maxAttempts: metadata.maxAttempts, willRetry: metadata.willRetry },
      name.endsWith('.failed') ? { maxAttempts: 1, willRetry: false } : { maxAttempts: undefined, willRetry: undefined },
    );
    standardBodies[name].parse(type.samples.standard);
    deepEqual(strictCopy(events[name]).parse(data), data);
    equal(type.samples.simple === null, !isSimpleEvent(name));
    if (isSimpleEvent(name)) {
      const { event, data: simple } = type.samples.simple as { event: string; data: unknown };
      equal(event, name);
      deepEqual(strictCopy(simpleEvents[name]).parse(simple), simple);
    }
  }
});
