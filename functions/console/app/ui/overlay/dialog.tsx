import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useEffect, useRef } from 'react';
import { IconButton } from '../form/button.tsx';

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly wide?: boolean;
  /** Near the top and without a head: it begins with a field, and the title is only read aloud. */
  readonly bare?: boolean;
  /** Only its buttons close it: it shows a secret once, or waits for what it creates. */
  readonly stays?: boolean;
  /** Buttons, the main one last. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** What opened the dialog: the focused element or, of an item of a menu that is closing, the button of the menu. */
const openerOf = (focused: Element | null): HTMLElement | null => {
  const button = focused?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return button ? document.getElementById(button) : (focused as HTMLElement | null);
};

/** Begins at the first field, else at the first button below, rather than at the button that closes the dialog. */
const focusContent = (event: Event): void => {
  const content = event.currentTarget as HTMLElement;
  const fields = '.dialog__body :is(input, select, textarea)';
  const first = content.querySelector<HTMLElement>(fields) ?? content.querySelector<HTMLElement>('.dialog__actions button');
  if (!first) return;
  event.preventDefault();
  first.focus();
};

/**
 * A modal dialog; Escape and the backdrop close it unless it stays. Has its own backdrop and scroll lock: those of Radix insert a
 * <style> element, which the Content-Security-Policy forbids.
 */
export const Dialog = (props: DialogProps) => {
  const { open, onClose, title, description, wide = false, bare = false, stays = false, actions, children } = props;
  const opener = useRef<HTMLElement | null>(null);
  const stay = (event: Event): void => {
    if (stays) event.preventDefault();
  };
  useEffect(() => {
    document.documentElement.classList.toggle('dialog-open', open);
    return () => document.documentElement.classList.remove('dialog-open');
  }, [open]);
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <div className="backdrop" />
        <div className="dialog-frame">
          <Radix.Content
            className={`dialog${wide ? ' dialog--wide' : ''}${bare ? ' dialog--bare' : ''}`}
            onEscapeKeyDown={stay}
            onInteractOutside={stay}
            onOpenAutoFocus={(event) => {
              opener.current = openerOf(document.activeElement);
              focusContent(event);
            }}
            // Radix gives the focus back only to a trigger of its own. The opener is gone if its action is done.
            onCloseAutoFocus={(event) => {
              event.preventDefault();
              (opener.current?.isConnected ? opener.current : document.getElementById('main'))?.focus();
            }}
            {...(description ? {} : { 'aria-describedby': undefined })}
          >
            <header className={bare ? 'visually-hidden' : 'dialog__head'}>
              <Radix.Title className="dialog__title">{title}</Radix.Title>
              {!stays && !bare && (
                <Radix.Close asChild>
                  <IconButton icon="close" label="Close" size="small" />
                </Radix.Close>
              )}
            </header>
            <div
              className="dialog__body"
              onScroll={({ currentTarget }) => currentTarget.toggleAttribute('data-scrolled', currentTarget.scrollTop > 0)}
            >
              {description && (
                <Radix.Description asChild>
                  <div className="secondary">{description}</div>
                </Radix.Description>
              )}
              {children}
            </div>
            {actions && <footer className="dialog__actions">{actions}</footer>}
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  );
};
