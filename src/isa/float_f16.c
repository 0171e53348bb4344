// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/float_define.h"

ISA_FLOAT_DEFINE(f16, u16, ISA_F16)
ISA_FLOAT_DEFINE_SMALL(f16, u16, ISA_F16)
ISA_DEFINE_3(f16, u16, ISA_F16, mad)
