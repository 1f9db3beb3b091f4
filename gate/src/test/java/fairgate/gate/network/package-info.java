@NullMarked
package fairgate.gate.network;

import org.jspecify.annotations.NullMarked;
