import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import type { KnownBlock } from '@slack/types';
import fc from 'fast-check';
import { test } from 'vitest';
import { type AlertMessage, type AlertWebChannel, composeAlert } from '../../../../shared/alert/message/index.ts';
import { slackMessage } from '../../../../shared/alert/message/slack-message.ts';
import { teamsMessage } from '../../../../shared/alert/message/teams-message.ts';
import { providerErrors } from '../../../harness/alert/provider-rules.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { hostileAlert, sampleAlert } from '../../../harness/builders/sample-alert.ts';

const channels = ['slack', 'teams', 'discord', 'pagerduty'] as const;
const routingKey = '0123456789abcdef0123456789abcdef';
const target = (channel: AlertWebChannel) =>
  channel === 'pagerduty' ? { routingKey } : { url: 'https://chat.example.com/hook/secret' };
const bodyOf = (channel: AlertWebChannel, message: AlertMessage) => composeAlert(channel, target(channel), message).body;
const jsonOf = (channel: AlertWebChannel, message: AlertMessage) => JSON.parse(bodyOf(channel, message));

for (const channel of channels) {
  test(`${channel}: a message of every state and severity is valid for the provider`, () => {
    for (const state of ['open', 'reminder', 'recovered', 'test', 'summary'] as const)
      for (const severity of ['info', 'warning', 'critical'] as const)
        deepEqual(
          providerErrors(channel, bodyOf(channel, sampleAlert({ state, severity, recoveredAt: '2026-03-01T03:00:00.000Z' }))),
          [],
        );
  });

  test(`${channel}: long and hostile text of customers keeps the message valid and within the limits`, () =>
    fc.assert(
      fc.property(hostileAlert, (message) => deepEqual(providerErrors(channel, bodyOf(channel, message)), [])),
      { numRuns: propertyRuns({ usual: 150, fuzz: 5_000 }) },
    ));

  test(`${channel}: text of customers contains no characters that reorder or control text`, () =>
    fc.assert(
      fc.property(hostileAlert, (message) => {
        const body = bodyOf(channel, message);
        ok(body.isWellFormed());
        ok(!/\p{Bidi_Control}|\\u00|\u2028|\u2029/u.test(body), body);
      }),
      { numRuns: propertyRuns({ usual: 100, fuzz: 2_000 }) },
    ));

  test(`${channel}: ten kilobytes of three-byte characters in every text stay within the limits`, () => {
    const long = '汉'.repeat(10_000);
    const facts = Array.from({ length: 30 }, (_, index) => ({ name: `${index}${long}`, value: long }));
    const message = sampleAlert({
      title: long,
      text: long,
      facts,
      organization: { id: 'org_1', name: long },
      project: { id: 'p', name: long },
    });
    deepEqual(providerErrors(channel, bodyOf(channel, message)), []);
  });

  test(`${channel}: the request is JSON and names the service`, () => {
    const { headers } = composeAlert(channel, target(channel), sampleAlert());
    equal(headers['Content-Type'], 'application/json');
    ok(/^Backup-Management-Service\/\d/.test(headers['User-Agent'] ?? ''));
  });
}

test('slack: the blocks have the types that Slack publishes', () => {
  const blocks: KnownBlock[] = slackMessage(sampleAlert()).blocks;
  deepEqual(
    blocks.map(({ type }) => type),
    ['header', 'section', 'section', 'context', 'actions'],
  );
});

test('slack: a mention in the text of a customer is escaped, in the blocks and in the fallback', () => {
  const name = '<!channel> & <@U1>';
  const body = bodyOf(
    'slack',
    sampleAlert({ title: name, text: name, organization: { id: 'o', name }, project: { id: 'p', name } }),
  );
  ok(!body.includes('<'), body);
  ok(body.includes('&lt;!channel&gt; &amp; &lt;@U1&gt;'));
});

test('slack: text of customers is never Markdown', () =>
  fc.assert(
    fc.property(hostileAlert, (message) => {
      const parts = slackMessage(message).blocks.flatMap((block) => ('fields' in block ? block.fields : []));
      for (const part of parts) if (part.type === 'mrkdwn') ok(/^\*[^*_~`<>]+\*$/.test(part.text), part.text);
    }),
    { numRuns: propertyRuns({ usual: 100, fuzz: 2_000 }) },
  ));

test('slack: an escape sequence is not cut in half', () => {
  const { blocks } = slackMessage(sampleAlert({ text: '&'.repeat(10_000) }));
  const [, section] = blocks;
  ok(section && 'text' in section && /^(?:&amp;)+…$/.test(section.text?.text ?? ''));
});

test('teams: the text of customers is in text runs, which Adaptive Cards do not format', () => {
  const markdown = '**bold** [text](https://evil.example) <b>';
  const { body } = teamsMessage(sampleAlert({ title: markdown, text: markdown })).attachments[0]!.content;
  ok(!JSON.stringify(body).includes('"TextBlock"') && !JSON.stringify(body).includes('"FactSet"'));
  ok(JSON.stringify(body).includes(markdown));
});

test('discord: Markdown, mentions and links in the text of customers are escaped, and mentions are off', () => {
  const { embeds, allowed_mentions } = jsonOf(
    'discord',
    sampleAlert({ text: '**b** <@1> @everyone [x](https://evil.example) `c` \\' }),
  );
  equal(embeds[0].description, '\\*\\*b\\*\\* \\<\\@1\\> \\@everyone \\[x\\]\\(https\\://evil.example\\) \\`c\\` \\\\');
  deepEqual(allowed_mentions, { parse: [] });
});

test('discord: asks for a confirmed delivery and keeps the thread', () =>
  equal(
    composeAlert('discord', { url: 'https://discord.com/api/webhooks/1/t?thread_id=5' }, sampleAlert()).url,
    'https://discord.com/api/webhooks/1/t?thread_id=5&wait=true',
  ));

test('pagerduty: the incident is the deduplication key of the trigger, the reminder and the resolve event', () => {
  for (const [state, action] of [
    ['open', 'trigger'],
    ['reminder', 'trigger'],
    ['recovered', 'resolve'],
  ] as const) {
    const event = jsonOf('pagerduty', sampleAlert({ state }));
    deepEqual([event.event_action, event.dedup_key, event.routing_key], [action, sampleAlert().incidentId, routingKey]);
  }
});

test('pagerduty: the severity is kept, but a test is never more than informational', () => {
  for (const severity of ['info', 'warning', 'critical'] as const)
    equal(jsonOf('pagerduty', sampleAlert({ severity })).payload.severity, severity);
  equal(jsonOf('pagerduty', sampleAlert({ state: 'test', severity: 'critical' })).payload.severity, 'info');
});

test('pagerduty: events go to the documented address unless the alert names another', () => {
  equal(composeAlert('pagerduty', { routingKey }, sampleAlert()).url, 'https://events.pagerduty.com/v2/enqueue');
  const url = 'https://events.eu.pagerduty.com/v2/enqueue';
  equal(composeAlert('pagerduty', { routingKey, url }, sampleAlert()).url, url);
});

test('the state of the incident is part of the heading', () => {
  const headerOf = (state: AlertMessage['state']) => jsonOf('slack', sampleAlert({ state })).blocks[0].text.text;
  equal(headerOf('open'), '🔴 Backup failed: shop');
  equal(headerOf('reminder'), '🔴 Still open: Backup failed: shop');
  equal(headerOf('recovered'), '✅ Recovered: Backup failed: shop');
  equal(headerOf('test'), '🔔 Test: Backup failed: shop');
});

test('facts: those of the message come first, at most ten are sent, and no name appears twice', () => {
  const facts = [
    { name: 'Project', value: 'other' },
    { name: '', value: 'x' },
    { name: 'Empty', value: ' ' },
    ...Array.from({ length: 20 }, (_, index) => ({ name: `Fact ${index}`, value: 'v' })),
  ];
  const { fields } = jsonOf('discord', sampleAlert({ facts, count: 3 })).embeds[0];
  deepEqual(
    fields.map(({ name }: { name: string }) => name),
    [...Array.from({ length: 6 }, (_, index) => `Fact ${index}`), 'Project', 'Organization', 'Since', 'Occurrences'],
  );
});

test('a channel without its address is an error', () => {
  throws(() => composeAlert('slack', {}, sampleAlert()), /slack alert has no URL/);
  throws(() => composeAlert('pagerduty', {}, sampleAlert()), /no routing key/);
});

test('the rules of the providers refuse what the providers refuse', () => {
  const refused = (channel: AlertWebChannel, change: (body: string) => string) =>
    ok(providerErrors(channel, change(bodyOf(channel, sampleAlert()))).length > 0, channel);
  refused('slack', (body) => body.replace('"header"', '"heading"'));
  refused('slack', (body) => body.replaceAll('Backup failed', 'x'.repeat(150)));
  refused('teams', (body) => body.replace('"attention"', '"alarming"'));
  refused('teams', (body) => body.replace('"bleed"', '"bleeds"'));
  refused('teams', (body) => body.replace('"RichTextBlock"', '"RichText"'));
  refused('teams', (body) => body.replaceAll('Backup failed', 'x'.repeat(28_000)));
  refused('discord', (body) => body.replace('"parse":[]', '"parse":["everyone"]'));
  refused('discord', (body) => body.replace('"bkp\\\\_1"', '""'));
  refused('pagerduty', (body) => body.replace('"critical"', '"fatal"'));
  refused('pagerduty', (body) => body.replace('"summary"', '"title"'));
});
