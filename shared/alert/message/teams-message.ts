import { cleanText, fitText } from '../../platform/index.ts';
import { alertFacts } from './alert-facts.ts';
import { alertHeading, alertMark } from './alert-heading.ts';
import type { AlertMessage } from './alert-message.ts';

/** In UTF-16 units, at most three bytes each: together with 10 facts less than the 28 KB that Teams accepts. */
const max = { heading: 250, text: 3_000, factName: 60, factValue: 200, kind: 60 } as const;

/**
 * The body for a workflow that posts to a channel or chat: one Adaptive Card. Customers' text is in text runs, for which Adaptive
 * Cards do not interpret Markdown.
 */
export const teamsMessage = (message: AlertMessage) => {
  const heading = fitText(`${alertMark(message)} ${alertHeading(message)}`, max.heading);
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          fallbackText: heading,
          body: [
            {
              type: 'Container',
              style: styleOf(message),
              bleed: true,
              items: [richText([{ text: heading, weight: 'bolder', size: 'large' }])],
            },
            richText([{ text: fitText(cleanText(message.text) || message.kind, max.text) }]),
            ...alertFacts(message).map(({ name, value }) =>
              richText([{ text: `${fitText(name, max.factName)}: `, weight: 'bolder' }, { text: fitText(value, max.factValue) }]),
            ),
            richText([
              {
                text: `Backup Management Service · ${message.severity} · ${fitText(message.kind, max.kind)} · ${message.incidentId}`,
                isSubtle: true,
                size: 'small',
              },
            ]),
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open in the console', url: message.link }],
        },
      },
    ],
  };
};

interface Run {
  readonly text: string;
  readonly weight?: 'bolder';
  readonly size?: 'small' | 'large';
  readonly isSubtle?: boolean;
}

const richText = (runs: readonly Run[]) => ({
  type: 'RichTextBlock',
  inlines: runs.map((run) => ({ type: 'TextRun', ...run })),
});

const styles = { critical: 'attention', warning: 'warning', info: 'accent' } as const;
const styleOf = ({ state, severity }: AlertMessage) => {
  if (state === 'recovered') return 'good';
  return state === 'test' ? 'emphasis' : styles[severity];
};
