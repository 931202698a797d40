import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Icon, type IconName } from '../icon.tsx';
import { Spinner } from '../spinner.tsx';
import { Tooltip } from '../tooltip.tsx';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `quiet-danger` opens the confirmation of a destructive action, `danger` confirms it. */
  readonly variant?: 'primary' | 'secondary' | 'quiet' | 'quiet-danger' | 'danger';
  readonly size?: 'medium' | 'small';
  readonly icon?: IconName;
  /** Shows a spinner and ignores clicks. */
  readonly busy?: boolean;
  /** Why the action is not available. The button stays focusable, so that a keyboard reaches the reason. */
  readonly disabledReason?: string | undefined;
  readonly children?: ReactNode;
}

export const buttonClass = (variant: ButtonProps['variant'] = 'secondary', size: ButtonProps['size'] = 'medium'): string =>
  `button button--${variant} button--${size}`;

export const Button = ({
  variant = 'secondary',
  size = 'medium',
  icon,
  busy = false,
  disabledReason,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) => {
  const isOff = busy || disabledReason !== undefined;
  return (
    <Tooltip text={disabledReason} opensOnClick below>
      <button
        {...rest}
        type={isOff ? 'button' : type}
        className={`${buttonClass(variant, size)}${children === undefined ? ' button--icon' : ''}`}
        aria-disabled={isOff || undefined}
        aria-busy={busy || undefined}
        onClick={isOff ? (event) => event.preventDefault() : onClick}
      >
        {busy ? <Spinner /> : icon && <Icon name={icon} />}
        {children}
      </button>
    </Tooltip>
  );
};

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  readonly icon: IconName;
  /** Read aloud and shown on hover. */
  readonly label: string;
}

export const IconButton = ({ label, variant = 'quiet', ...rest }: IconButtonProps) => (
  <Tooltip text={rest.disabledReason === undefined ? label : undefined}>
    <Button {...rest} variant={variant} aria-label={label} />
  </Tooltip>
);
