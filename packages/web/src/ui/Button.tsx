import type { ButtonHTMLAttributes, ReactNode } from 'react';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'plain' | 'primary' | 'warning' | 'quiet' | 'link';
  /** The shortcut, shown but not part of the accessible name. */
  hint?: string | undefined;
  children: ReactNode;
}

export function Button({ look = 'plain', hint, children, className = '', ...rest }: ButtonProps) {
  return (
    <button type="button" className={`button ${className}`} data-look={look} {...rest}>
      {children}
      {hint === undefined ? null : (
        <span className="key" aria-hidden="true">
          {hint}
        </span>
      )}
    </button>
  );
}
