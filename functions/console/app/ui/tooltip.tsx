import {
  cloneElement,
  type FocusEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useRef,
} from 'react';

interface Handlers {
  readonly onPointerEnter?: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerLeave?: (event: PointerEvent<HTMLElement>) => void;
  readonly onFocus?: (event: FocusEvent<HTMLElement>) => void;
  readonly onBlur?: (event: FocusEvent<HTMLElement>) => void;
  readonly onClick?: (event: MouseEvent<HTMLElement>) => void;
  readonly 'aria-describedby'?: string;
}

interface TooltipProps {
  /** Undefined: nothing is shown. The element stays the same when a text comes or goes, so that it keeps the focus. */
  readonly text: ReactNode | undefined;
  /** Also shown by a click, at once: a finger does not hover. */
  readonly opensOnClick?: boolean;
  /** Below the element if there is room: what is above it, such as the last field of a form, stays readable. */
  readonly below?: boolean;
  /** One element, which passes its properties to the document. */
  readonly children: ReactElement<Handlers>;
}

const showMs = 250;
const hideMs = 120;
const gapPx = 6;
const marginPx = 8;

/**
 * Shown on hover and on keyboard focus; stays while the pointer is on it. Escape hides it, and so does a press elsewhere. A popover
 * lies above everything, also above dialogs.
 */
export const Tooltip = ({ text, opensOnClick = false, below = false, children }: TooltipProps) => {
  const id = useId();
  const bubble = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const hide = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => bubble.current?.hidePopover(), hideMs);
  };
  const showAt = (target: HTMLElement, delayMs: number): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (!bubble.current || !target.isConnected) return;
      bubble.current.showPopover();
      moveTo(bubble.current, target.getBoundingClientRect(), below);
    }, delayMs);
  };
  const { props } = children;
  const isShown = text !== undefined;
  return (
    <>
      {isShown
        ? cloneElement(children, {
            'aria-describedby': id,
            onPointerEnter: (event) => {
              props.onPointerEnter?.(event);
              if (event.pointerType !== 'touch') showAt(event.currentTarget, showMs);
            },
            onPointerLeave: (event) => {
              props.onPointerLeave?.(event);
              hide();
            },
            onFocus: (event) => {
              props.onFocus?.(event);
              if (event.currentTarget.matches(':focus-visible')) showAt(event.currentTarget, 0);
            },
            onBlur: (event) => {
              props.onBlur?.(event);
              hide();
            },
            ...(opensOnClick && {
              onClick: (event) => {
                props.onClick?.(event);
                showAt(event.currentTarget, 0);
              },
            }),
          })
        : children}
      {isShown && <Dismissal bubble={bubble} />}
      {isShown && (
        <span
          ref={bubble}
          id={id}
          role="tooltip"
          popover="manual"
          className="tooltip"
          onPointerEnter={() => clearTimeout(timer.current)}
          onPointerLeave={hide}
        >
          {text}
        </span>
      )}
    </>
  );
};

const Dismissal = ({ bubble }: { readonly bubble: { readonly current: HTMLElement | null } }) => {
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') bubble.current?.hidePopover();
    };
    const onPress = ({ target }: Event): void => {
      if (!bubble.current?.contains(target as Node)) bubble.current?.hidePopover();
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', onPress);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('pointerdown', onPress);
    };
  }, [bubble]);
  return null;
};

/** On the wanted side of the target if there is room, else on the other one; within the window. */
const moveTo = (bubble: HTMLElement, target: DOMRect, below: boolean): void => {
  const { width, height } = bubble.getBoundingClientRect();
  const above = target.top - height - gapPx;
  const under = target.bottom + gapPx;
  const fitsUnder = under + height <= innerHeight - marginPx;
  const x = target.left + target.width / 2 - width / 2;
  bubble.style.top = `${(below && fitsUnder) || above < marginPx ? under : above}px`;
  bubble.style.left = `${Math.max(marginPx, Math.min(x, innerWidth - width - marginPx))}px`;
};
