import type { DropdownMenu } from 'radix-ui';
import { cloneElement, createContext, type ReactElement, type ReactNode, useContext, useState } from 'react';
import { Icon, type IconName } from '../icon.tsx';

type Radix = typeof DropdownMenu;

const RadixContext = createContext<Radix | undefined>(undefined);

const useRadix = (): Radix => {
  const radix = useContext(RadixContext);
  if (!radix) throw new Error('menu parts must be inside a Menu');
  return radix;
};

/** A fifth of the console's script, and needed only after the first click. */
const load = async (): Promise<Radix> => (await import('./load-menu.ts')).DropdownMenu;

interface TriggerProps {
  readonly onClick?: () => void;
  readonly onPointerEnter?: () => void;
  readonly onFocus?: () => void;
  readonly 'aria-haspopup'?: 'menu';
  readonly 'aria-expanded'?: boolean;
}

interface MenuProps {
  /** A button. */
  readonly trigger: ReactElement<TriggerProps>;
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}

/** Not modal: the modal menu of Radix inserts a <style> element, which the Content-Security-Policy forbids. */
export const Menu = ({ trigger, align = 'end', children }: MenuProps) => {
  const [radix, setRadix] = useState<Radix>();
  if (!radix)
    return cloneElement(trigger, {
      'aria-haspopup': 'menu',
      'aria-expanded': false,
      onPointerEnter: () => void load(),
      onFocus: () => void load(),
      // A function would be called by React to compute the state.
      onClick: () => void load().then((loaded) => setRadix(() => loaded)),
    });
  const { Root, Trigger, Portal, Content } = radix;
  return (
    <RadixContext value={radix}>
      <Root modal={false} defaultOpen>
        <Trigger asChild>{trigger}</Trigger>
        <Portal>
          <Content className="menu" align={align} sideOffset={4} collisionPadding={8} loop>
            {children}
          </Content>
        </Portal>
      </Root>
    </RadixContext>
  );
};

interface MenuItemProps {
  readonly icon?: IconName;
  readonly danger?: boolean;
  readonly checked?: boolean;
  readonly disabledReason?: string | undefined;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export const MenuItem = ({ icon, danger = false, checked, disabledReason, onSelect, children }: MenuItemProps) => {
  const { Item } = useRadix();
  return (
    <Item
      className={danger ? 'menu__item menu__item--danger' : 'menu__item'}
      aria-disabled={disabledReason !== undefined || undefined}
      onSelect={(event) => (disabledReason === undefined ? onSelect() : event.preventDefault())}
    >
      {icon ? <Icon name={icon} /> : <span className="menu__gap" />}
      <span className="menu__text">
        {children}
        {disabledReason && <span className="menu__reason">{disabledReason}</span>}
      </span>
      {checked && (
        <>
          <Icon name="check" />
          <span className="visually-hidden">(selected)</span>
        </>
      )}
    </Item>
  );
};

export const MenuLabel = ({ children }: { readonly children: ReactNode }) => {
  const { Label } = useRadix();
  return <Label className="menu__label">{children}</Label>;
};

export const MenuSeparator = () => {
  const { Separator } = useRadix();
  return <Separator className="menu__separator" />;
};
