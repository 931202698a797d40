import { cleanText, fitText, omitUndefined } from '../../platform/index.ts';
import { alertFacts } from './alert-facts.ts';
import { alertHeading, alertMark } from './alert-heading.ts';
import type { AlertMessage } from './alert-message.ts';

/** In characters. Discord allows more for some, but 6,000 in total. */
const max = { title: 256, description: 2_500, fieldName: 60, fieldValue: 200, footer: 200 } as const;

const colors = { critical: 0xd13438, warning: 0xf7a600, info: 0x2f7fd1 } as const;
const recoveredColor = 0x2e9e5b;
const testColor = 0x808080;

/** The body of a webhook message: one embed. Customers' text is escaped; mentions in it notify no one. */
export const discordMessage = (message: AlertMessage) => ({
  embeds: [
    omitUndefined({
      title: fitText(`${alertMark(message)} ${alertHeading(message)}`, max.title, escapeDiscord),
      description: fitText(cleanText(message.text) || message.kind, max.description, escapeDiscord),
      url: message.link,
      color: colorOf(message),
      fields: alertFacts(message).map(({ name, value }) => ({
        name: fitText(name, max.fieldName, escapeDiscord),
        value: fitText(value, max.fieldValue, escapeDiscord),
        inline: true,
      })),
      footer: {
        text: fitText(`Backup Management Service · ${message.severity} · ${message.kind} · ${message.incidentId}`, max.footer),
      },
      timestamp: message.recoveredAt ?? message.openedAt,
    }),
  ],
  allowed_mentions: { parse: [] },
});

/** A backslash takes the meaning from every punctuation character of Discord's Markdown, mentions, emojis and links included. */
const escapeDiscord = (character: string): string => (/[\\*_~`|>#+\-[\]()<@:!]/.test(character) ? `\\${character}` : character);

const colorOf = ({ state, severity }: AlertMessage): number => {
  if (state === 'recovered') return recoveredColor;
  return state === 'test' ? testColor : colors[severity];
};
