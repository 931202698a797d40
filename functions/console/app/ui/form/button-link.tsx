import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../icon.tsx';
import { Button, buttonClass } from './button.tsx';

interface ButtonLinkProps {
  /** With or without search parameters. */
  readonly to: string;
  readonly variant?: 'primary' | 'secondary' | 'quiet';
  readonly size?: 'medium' | 'small';
  readonly icon?: IconName;
  /** Why the page is of no use to this person; shown like a disabled button. */
  readonly disabledReason?: string | undefined;
  /** Read aloud in place of the text, where that alone does not say enough. */
  readonly label?: string;
  /** Before the page is left. */
  readonly onClick?: () => void;
  readonly children: ReactNode;
}

/** A link to another page that looks like a button. */
export const ButtonLink = ({
  to,
  variant = 'secondary',
  size = 'medium',
  icon,
  disabledReason,
  label,
  onClick,
  children,
}: ButtonLinkProps) => {
  const [path, search] = to.split('?', 2);
  return disabledReason === undefined ? (
    <Link
      to={path as string}
      {...(search !== undefined && { search: Object.fromEntries(new URLSearchParams(search)) as never })}
      className={buttonClass(variant, size)}
      aria-label={label}
      {...(onClick && { onClick })}
    >
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  ) : (
    <Button variant={variant} size={size} {...(icon && { icon })} disabledReason={disabledReason} aria-label={label}>
      {children}
    </Button>
  );
};
