import fc from 'fast-check';
import type { AlertMessage } from '../../../shared/alert/message/index.ts';
import { anyCharacter } from './any-character.ts';

export const sampleAlert = (changes: Partial<AlertMessage> = {}): AlertMessage => ({
  incidentId: 'inc_01JZ0000000000000000000000',
  state: 'open',
  kind: 'backup_failed',
  severity: 'critical',
  title: 'Backup failed: shop',
  text: 'The backup bkp_1 of shop failed: the destination denied access.\nCheck the permissions of the bucket.',
  facts: [
    { name: 'Backup', value: 'bkp_1' },
    { name: 'Error', value: 'DESTINATION_ACCESS_DENIED' },
  ],
  organization: { id: 'org_1', name: 'Acme' },
  project: { id: 'prj_1', name: 'shop' },
  link: 'https://backup.example.com/projects/prj_1/backups/bkp_1',
  openedAt: '2026-03-01T02:00:00.000Z',
  count: 1,
  ...changes,
});

/** Markup of every provider, mentions, HTML, text directions, control characters, lone surrogates and emojis of several code points. */
const hostileTexts = [
  '<!channel> <!here> <@U123> <#C123|x> <https://evil.example|click> &lt;!channel&gt;',
  '**bold** _i_ ~s~ `code` ```block``` > quote # h1 - item [text](https://evil.example) ||spoiler|| <@&1> @everyone :tada:',
  '<script>alert(1)</script><img src=x onerror=alert(1)> "quoted" \'single\'',
  'Subject\r\nBcc: victim@example.com\r\n\r\nbody\u2028x\u2029y\u0085z',
  '\u202egnp.exe\u202c \u2066x\u2069 \u200f שלום مرحبا',
  '\u0000\u0007\u001b[31m\u009f \ud800 \udc00 x\ud83d',
  '👨‍👩‍👧‍👦🇩🇪é̂',
  '\n\n\n\n \t ',
  '',
  '\\"\\\\'.repeat(2_000),
  '汉'.repeat(10_000),
  '😀'.repeat(6_000),
  '&<>*_~`'.repeat(2_000),
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.array(fc.constantFrom(...hostileTexts), { maxLength: 4 }).map((texts) => texts.join(' ')),
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
);

export const hostileAlert: fc.Arbitrary<AlertMessage> = fc.record(
  {
    incidentId: fc.constant('inc_01JZ0000000000000000000000'),
    state: fc.constantFrom('open', 'reminder', 'recovered', 'test', 'summary'),
    kind: fc.constantFrom('backup_failed', 'protection_lapsed'),
    severity: fc.constantFrom('info', 'warning', 'critical'),
    title: hostileText,
    text: hostileText,
    facts: fc.array(fc.record({ name: hostileText, value: hostileText }), { maxLength: 30 }),
    organization: fc.record({ id: fc.constant('org_1'), name: hostileText }),
    project: fc.record({ id: fc.constant('prj_1'), name: hostileText }),
    link: fc.constant('https://backup.example.com/incidents/inc_01'),
    openedAt: fc.constant('2026-03-01T02:00:00.000Z'),
    recoveredAt: fc.constant('2026-03-01T03:00:00.000Z'),
    count: fc.nat(10_000),
  },
  {
    requiredKeys: [
      'incidentId',
      'state',
      'kind',
      'severity',
      'title',
      'text',
      'facts',
      'organization',
      'link',
      'openedAt',
      'count',
    ],
  },
);
