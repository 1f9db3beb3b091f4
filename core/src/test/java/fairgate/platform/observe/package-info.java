/// Tests of the package of the same name.
@NullMarked
package fairgate.platform.observe;

import org.jspecify.annotations.NullMarked;
