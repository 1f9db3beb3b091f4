/// Tests of the package of the same name.
@NullMarked
package fairgate.platform.json;

import org.jspecify.annotations.NullMarked;
