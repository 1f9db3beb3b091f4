@NullMarked
package fairgate.prove.check;

import org.jspecify.annotations.NullMarked;
