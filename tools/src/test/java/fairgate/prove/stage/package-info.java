@NullMarked
package fairgate.prove.stage;

import org.jspecify.annotations.NullMarked;
