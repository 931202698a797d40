import { cleanText, composeLetter, fitText, type Letter, oneLine } from '../../platform/index.ts';
import { alertFacts } from './alert-facts.ts';
import { alertHeading } from './alert-heading.ts';
import type { AlertMessage } from './alert-message.ts';

/** In characters. */
const max = { heading: 150, name: 60, text: 8_000, value: 2_000 } as const;

/** The e-mail about an incident. */
export const alertEmail = (message: AlertMessage): Letter => {
  const heading = fitText(alertHeading(message), max.heading);
  return composeLetter(`${heading} (${fitText(oneLine(message.organization.name), max.name)})`, [
    { heading },
    fitText(cleanText(message.text) || message.kind, max.text),
    {
      facts: [
        { name: 'Severity', value: message.severity },
        ...alertFacts(message).map(({ name, value }) => ({ name: fitText(name, max.name), value: fitText(value, max.value) })),
      ],
    },
    { text: 'Open it in the console', url: message.link },
    reason,
  ]);
};

const reason =
  'You receive this e-mail because an alert of this organization names your address, or because you own it and it has the default alert. Change this on the page Alerts of the console (PATCH /api/v1/alerts/{id}).';
