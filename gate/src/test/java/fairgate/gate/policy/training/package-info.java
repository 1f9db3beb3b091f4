@NullMarked
package fairgate.gate.policy.training;

import org.jspecify.annotations.NullMarked;
