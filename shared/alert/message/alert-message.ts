/** The channels that receive alerts as HTTP requests. */
export type AlertWebChannel = 'slack' | 'teams' | 'discord' | 'pagerduty';

/**
 * One message about an incident. Names and texts may come from customers: every format cleans, escapes and truncates them.
 * `title` names the problem without its state ("Backup failed: shop"); the formats add "Still open", "Recovered" or "Test".
 */
export interface AlertMessage {
  readonly incidentId: string;
  /** `summary` reports incidents that were grouped or held back. */
  readonly state: 'open' | 'reminder' | 'recovered' | 'test' | 'summary';
  readonly kind: string;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly title: string;
  readonly text: string;
  /** Further details. The formats add project, organization and times. */
  readonly facts: readonly AlertFact[];
  readonly organization: { readonly id: string; readonly name: string };
  readonly project?: { readonly id: string; readonly name: string } | undefined;
  /** Absolute URL of the page in the console. */
  readonly link: string;
  readonly openedAt: string;
  readonly recoveredAt?: string | undefined;
  /** How often the problem occurred since the incident was opened. */
  readonly count: number;
  /** Addresses of the members who have acknowledged it, and who take care of it. */
  readonly acknowledgedBy?: string | undefined;
  readonly assignedTo?: string | undefined;
}

export interface AlertFact {
  readonly name: string;
  readonly value: string;
}
