/** Colours of states: green is good, red needs attention, yellow is on its way or incomplete. */
import type { Style } from './terminal.ts';

const styles: Readonly<Record<string, Style>> = {
  completed: 'green',
  passed: 'green',
  protected: 'green',
  connected: 'green',
  active: 'green',
  delivered: 'green',
  Success: 'green',
  enabled: 'green',
  failed: 'red',
  failing: 'red',
  Failed: 'red',
  error: 'red',
  ended: 'red',
  unauthorized: 'red',
  unprotected: 'red',
  missed: 'red',
  critical: 'red',
  pending: 'yellow',
  running: 'yellow',
  retrying: 'yellow',
  starting: 'yellow',
  waiting: 'yellow',
  at_risk: 'yellow',
  warning: 'yellow',
  'In Progress': 'yellow',
  cancelled: 'dim',
  expired: 'dim',
  deleted: 'dim',
  disabled: 'dim',
  paused: 'dim',
};

export const statusStyle = (status: string): Style | undefined => (Object.hasOwn(styles, status) ? styles[status] : undefined);
