import { coxswainMatchers } from '@coxswain/testkit';
import { expect } from '@jest/globals';

expect.extend(coxswainMatchers);
