@NullMarked
package fairgate.prove.environment;

import org.jspecify.annotations.NullMarked;
