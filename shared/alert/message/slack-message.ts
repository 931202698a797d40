import { cleanText, fitText, oneLine } from '../../platform/index.ts';
import { alertFacts } from './alert-facts.ts';
import { alertHeading, alertMark } from './alert-heading.ts';
import type { AlertMessage } from './alert-message.ts';

/** Slack's limits, in characters. */
const max = { header: 150, section: 3_000, field: 2_000, fallback: 3_000 } as const;
/** Of at most 10. A fact takes two: its name beside its value. */
const factsPerSection = 5;

/**
 * The body of an incoming webhook: Block Kit, and `text` for notifications and screen readers. Customers' text is always
 * `plain_text` and escaped, so neither mentions (`<!channel>`) nor formatting in it have an effect.
 */
export const slackMessage = (message: AlertMessage) => {
  const heading = `${alertMark(message)} ${alertHeading(message)}`;
  const facts = alertFacts(message);
  const sections = Array.from({ length: Math.ceil(facts.length / factsPerSection) }, (_, index) =>
    facts.slice(index * factsPerSection, (index + 1) * factsPerSection),
  );
  return {
    text: fitText(`${heading} (${oneLine(message.organization.name)})`, max.fallback, escapeSlack),
    blocks: [
      { type: 'header' as const, text: plain(heading, max.header) },
      { type: 'section' as const, text: plain(cleanText(message.text) || message.kind, max.section) },
      ...sections.map((section) => ({
        type: 'section' as const,
        fields: section.flatMap(({ name, value }) => [bold(name), plain(value, max.field)]),
      })),
      {
        type: 'context' as const,
        elements: [plain(`Backup Management Service · ${message.severity} · ${message.kind} · ${message.incidentId}`, max.field)],
      },
      {
        type: 'actions' as const,
        elements: [
          { type: 'button' as const, action_id: 'open', text: plain('Open in the console', max.header), url: message.link },
        ],
      },
    ],
  };
};

/** Slack asks for these three only. */
const escapeSlack = (character: string): string => entities[character] ?? character;
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const plain = (text: string, maxLength: number) =>
  ({ type: 'plain_text', text: fitText(text, maxLength, escapeSlack), emoji: false }) as const;

/** `name` is one of ours; without the characters that would end the bold type. */
const bold = (name: string) =>
  ({
    type: 'mrkdwn',
    text: `*${fitText(name.replaceAll(/[*_~`]/g, '').trim() || '–', max.header, escapeSlack)}*`,
    verbatim: true,
  }) as const;
