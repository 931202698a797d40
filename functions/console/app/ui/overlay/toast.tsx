import { useSyncExternalStore } from 'react';
import { IconButton } from '../form/button.tsx';
import { Icon } from '../icon.tsx';

interface Toast {
  readonly id: number;
  readonly tone: 'good' | 'bad' | 'info';
  readonly text: string;
  readonly detail: string | undefined;
}

/** Messages that say what went wrong stay longer. */
const shownMs = { good: 5_000, info: 6_000, bad: 12_000 } as const;
const toastsMax = 4;

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

const change = (next: readonly Toast[]): void => {
  toasts = next;
  for (const listener of listeners) listener();
};

const dismiss = (id: number): void => change(toasts.filter((toast) => toast.id !== id));

export const showToast = (text: string, tone: Toast['tone'] = 'good', detail?: string): void => {
  const id = nextId++;
  change([...toasts, { id, tone, text, detail }].slice(-toastsMax));
  setTimeout(() => dismiss(id), shownMs[tone]);
};

export const clearToasts = (): void => change([]);

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Announced by screen readers without moving the focus. */
export const Toasts = () => {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <section className="toasts" aria-live="polite" aria-label="Notifications">
      {shown.map(({ id, tone, text, detail }) => (
        <div key={id} className={`toast toast--${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
          <Icon name={tone === 'good' ? 'checkCircle' : tone === 'bad' ? 'alert' : 'info'} />
          <div className="toast__text">
            {text}
            {detail && <div className="small secondary">{detail}</div>}
          </div>
          <IconButton icon="close" label="Dismiss" size="small" onClick={() => dismiss(id)} />
        </div>
      ))}
    </section>
  );
};
