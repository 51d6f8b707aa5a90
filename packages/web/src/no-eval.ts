/**
 * The policy of the page forbids code made at run time, which zod would otherwise try when a schema is made: so this
 * is imported before everything that makes one.
 */
import { z } from 'zod';

z.config({ jitless: true });
