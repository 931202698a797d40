import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { events } from '../../../../shared/contract/events/event-catalogue.ts';
import { eventNames, isSimpleEvent } from '../../../../shared/contract/events/event-names.ts';
import { composeRequest } from '../../../../shared/webhook/request/compose-request.ts';
import { firstAttempt, organization, sampleOf, secretsOf, webhookOf } from '../../../harness/builders/sample-webhook.ts';

process.env.SERVICE_VERSION = '9.8.7';

describe('sample event', () => {
  for (const name of eventNames)
    test(`${name} matches the catalogue, names the requesting organization, and can be sent`, () => {
      const event = sampleOf(name);
      assert.equal(event.type, name);
      assert.match(event.id, /^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
      assert.deepEqual(events[name].parse(event.data), event.data);
      const about = (event.data as { organization: typeof organization }).organization;
      assert.deepEqual({ id: about.id, name: about.name }, organization);
      for (const format of isSimpleEvent(name) ? (['standard', 'simple'] as const) : (['standard'] as const))
        assert.ok(
          composeRequest(webhookOf(format), { secrets: secretsOf('the secret'), event, attempt: firstAttempt() }).body.includes(
            name,
          ),
        );
    });
});
