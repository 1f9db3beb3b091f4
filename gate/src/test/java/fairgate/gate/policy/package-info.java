@NullMarked
package fairgate.gate.policy;

import org.jspecify.annotations.NullMarked;
