/** Counts the events of an execution's history as Step Functions does. An item of a distributed map has a history of its own. */
import type { PreparedStateMachine } from './state-machine.ts';

/** The event of this number ends the execution, unless it is its success. */
export const historyEventsMax = 25_000;

/** What the interpreter logs, as far as it is counted. */
interface LoggedEvent {
  readonly type: string;
  readonly state?: { readonly name: string; readonly type: string };
  readonly parentState?: { readonly name: string };
  /** Of an item of a map. */
  readonly index?: number;
}

/**
 * Beside entering and leaving a state: a task is scheduled and started, and succeeds or fails, in every attempt; a map is started
 * and succeeds or fails, and a distributed one as a run of its own, too.
 */
const ofTask: Readonly<Record<string, number>> = {
  StateEntered: 1 + 2,
  StateRetried: 2,
  StateFailed: 1,
  // It has failed, so leaving it counts no success.
  StateCaught: -1,
  StateExited: 1 + 1,
};
const ofMap: typeof ofTask = { StateEntered: 1 + 1, StateRetried: 1, StateFailed: 1, StateCaught: -1, StateExited: 1 + 1 };
const ofDistributedMap: typeof ofTask = { StateEntered: 3, StateRetried: 2, StateFailed: 2, StateCaught: -2, StateExited: 3 };
const ofOther: typeof ofTask = { StateEntered: 1, StateExited: 1 };

export class HistoryCounter {
  readonly #machine: Pick<PreparedStateMachine, 'distributedMaps'>;
  /** By map and index; that of the execution itself has the empty name. */
  readonly #counts = new Map<string, number>();

  constructor(machine: Pick<PreparedStateMachine, 'distributedMaps'>) {
    this.#machine = machine;
  }

  /** The longest of its histories. */
  get events(): number {
    return Math.max(0, ...this.#counts.values());
  }

  /** Whether the history that the event belongs to is full. The last event of an execution that succeeds never fills it. */
  add(event: LoggedEvent): boolean {
    const history = this.#historyOf(event);
    const count = (this.#counts.get(history) ?? 0) + this.#eventsOf(event);
    this.#counts.set(history, count);
    return count >= historyEventsMax && !event.type.endsWith('Succeeded');
  }

  #historyOf({ state, parentState, index }: LoggedEvent): string {
    const map = parentState?.name ?? (state && this.#machine.distributedMaps.get(state.name));
    return map !== undefined && index !== undefined && this.#isDistributed(map) ? `${map}#${index}` : '';
  }

  #isDistributed(map: string): boolean {
    return [...this.#machine.distributedMaps.values()].includes(map);
  }

  #eventsOf({ type, state }: LoggedEvent): number {
    // Starts and ends, of the execution and of the items of a map.
    if (!state) return 1;
    if (state.type === 'Task') return ofTask[type] ?? 0;
    if (state.type === 'Map' || state.type === 'Parallel')
      return (this.#isDistributed(state.name) ? ofDistributedMap : ofMap)[type] ?? 0;
    return ofOther[type] ?? 0;
  }
}
